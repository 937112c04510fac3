# CPU image: docker build -t levygrid .
# CUDA image: docker build --build-arg TORCH_CHANNEL=cu130 -t levygrid:cuda .
ARG PYTHON_VERSION=3.11

FROM python:${PYTHON_VERSION}-slim AS build
ARG TORCH_CHANNEL=cpu
ARG TORCH_INDEX=https://download.pytorch.org/whl/${TORCH_CHANNEL}
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/levygrid
ENV PATH=/opt/levygrid/bin:$PATH
RUN pip install --index-url "${TORCH_INDEX}" torch==2.13.0
WORKDIR /srv/levygrid
COPY requirements.txt ./
RUN pip install -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY app ./app
COPY ml ./ml
COPY experiments ./experiments
COPY migrations ./migrations
RUN pip install --no-deps --editable . && python -m compileall -q app ml experiments

FROM python:${PYTHON_VERSION}-slim
RUN useradd --system --uid 10001 --home-dir /srv/levygrid levygrid \
    && install -d -o levygrid -g levygrid /var/lib/levygrid
COPY --from=build /opt/levygrid /opt/levygrid
COPY --from=build /srv/levygrid /srv/levygrid
ENV PATH=/opt/levygrid/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/var/lib/levygrid/numba \
    LEVYGRID_HOST=0.0.0.0 \
    LEVYGRID_PORT=8000 \
    LEVYGRID_DATA_DIR=/var/lib/levygrid
WORKDIR /srv/levygrid
USER levygrid
VOLUME /var/lib/levygrid
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["levygrid"]
CMD ["serve"]
