"""A provider of models, as docs/plugins.md had it in the version before."""

from proctor.core.chat import Reply, Request
from proctor.core.sockets import Kit, Model


class Shouting:
    """Answers with the question in capitals."""

    name = "shouting:v1"

    async def complete(self, request: Request) -> Reply:
        return Reply(text=request.messages[-1].content.upper(), model=self.name)


def connect(kit: Kit) -> Model:
    """A model that shouts."""
    return Shouting()
