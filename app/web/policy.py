"""Content security policy of the pages: files of this server only, no inline script."""

# Hash of the style sheet that Plotly adds when it loads (for its maps, unused here).
_PLOTLY_STYLE = "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='"


def page_headers(*, webgl: bool = False) -> dict[str, str]:
    """Return the headers of a page.

    With ``webgl``, Plotly may compile WebGL programs, which needs ``unsafe-eval``; only the view
    of large grids uses it.
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
