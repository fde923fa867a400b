"""Import conversations recorded by other tools as cases: one module per tool, one parser for all messages."""

from proctor.suites.conversations.detect import open_conversations

__all__ = ["open_conversations"]
