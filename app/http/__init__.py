"""HTTP plumbing: middleware, problem+json, request bodies, admission limits."""
