"""What a browser may do on our pages: load from this server only, run no inline script."""

# Plotly adds one style sheet (for its maps, unused here) when it loads: this is its hash.
_PLOTLY_STYLE = "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='"


def page_headers(*, webgl: bool = False) -> dict[str, str]:
    """Return the headers of a page.

    With ``webgl``, Plotly may compile its WebGL programs, for which it needs ``unsafe-eval``;
    only the view of large grids asks for it.
    """
    scripts = "script-src 'self' 'unsafe-eval'" if webgl else "script-src 'self'"
    policy = [
        "default-src 'self'",
        scripts,
        f"style-src 'self' {_PLOTLY_STYLE}",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
    return {"Content-Security-Policy": "; ".join(policy), "Cache-Control": "no-cache"}
