"""Conversations that other tools recorded, as cases: one file per tool, one reader for all of their messages."""

from proctor.suites.conversations.detect import open_conversations

__all__ = ["open_conversations"]
