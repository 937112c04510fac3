"""Where a run computes, and on what kind of machine."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from ml.config.settings import Device
from ml.errors import DeviceUnavailable


def choose_device(wanted: Device) -> torch.device:
    """Return the device asked for; ``auto`` prefers a GPU.

    Raises: DeviceUnavailable if ``cuda`` was asked for and there is none.
    """
    present = torch.cuda.is_available()
    if wanted == "cuda" and not present:
        raise DeviceUnavailable("no CUDA device is present")
    return torch.device("cuda" if present and wanted != "cpu" else "cpu")


def describe_machine(device: torch.device) -> dict[str, Any]:
    """Name what results depend on beside the seed; where all of it is equal, they are too."""
    packages = ("numpy", "scipy", "scikit-learn", "torch", "torch_geometric", "levygrid")
    return {
        "device": device.type,
        "threads": torch.get_num_threads(),
        "cpu": f"{_cpu_name()} ({torch.backends.cpu.get_cpu_capability()})",
        "versions": {
            "python": platform.python_version(),
            **{name: _version_of(name) for name in packages},
        },
    }


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _cpu_name() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
