"""Middleware for a user's own ASGI application."""

from __future__ import annotations

from proctor.server.asgi.middleware import GuardMiddleware, Route

__all__ = ["GuardMiddleware", "Route"]
