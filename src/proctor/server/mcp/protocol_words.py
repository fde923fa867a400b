"""Keys and values of the Model Context Protocol itself, which servers do not choose."""

from __future__ import annotations

from typing import Final

__all__ = ["FIXED", "KEYS", "LITERALS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys of names, URLs and tokens, whose values must not be changed.
FIXED: Final = _words(
    """
    $id $ref $schema audience cacheScope const createdAt cursor default elicitationId enum format id includeContext
    jsonrpc lastModified lastUpdatedAt level method mimeType mode name nextCursor pattern progressToken protocolVersion
    ref requestId requestState requested required resourceSubscriptions resultType role sizes src status stopReason
    stopSequences supported supportedVersions taskId taskSupport theme toolUseId type uri uriTemplate url version
    websiteUrl model subscriptionId propertyName
    """
)

# Keys of the protocol and of JSON Schema.
KEYS: Final = FIXED | _words(
    """
    $anchor $comment $defs $dynamicAnchor $dynamicRef $vocabulary _meta acknowledged action additionalItems
    additionalProperties allOf annotations anyOf argument arguments blob call cancel capabilities code completion
    completions contains content contentEncoding contentMediaType contentSchema contents context costPriority create
    createMessage data definitions dependencies dependentRequired dependentSchemas description destructiveHint
    discriminator elicitation elicitations else enumNames error examples exclusiveMaximum exclusiveMinimum execution
    experimental extensions form hasMore hints icons idempotentHint if input inputRequests inputSchema instructions
    intelligencePriority isError items jsonSchemaDialect list listChanged logger logging maxItems maxLength
    maxProperties maxTokens maximum message messages metadata minItems minLength minProperties minimum
    modelPreferences multipleOf not notifications oneOf openWorldHint outputSchema params patternProperties
    pollInterval prefixItems priority progress prompts promptsListChanged properties propertyNames read readOnlyHint
    readOnly reason requests requestedSchema requiredCapabilities resource resourceTemplates resources
    resourcesListChanged result roots sampling serverInfo size speedPriority statusMessage structuredContent subscribe
    subscriptions systemPrompt task tasks temperature text then title toolChoice tools toolsListChanged total ttl ttlMs
    unevaluatedItems unevaluatedProperties uniqueItems values writeOnly xml
    """
)

# Values of the protocol, of JSON Schema and of the commonest media types.
LITERALS: Final = _words(
    """
    2.0 alert allServers application/json application/octet-stream application/pdf array assistant audio
    audio/mpeg audio/wav auto boolean cancelled complete completed completion/complete critical dark date date-time
    debug elicitation/create email emergency endTurn error failed forbidden form image image/gif image/jpeg image/png
    image/svg+xml image/webp info initialize input_required integer ipv4 ipv6 light logging/setLevel maxTokens none
    notice notifications/cancelled notifications/elicitation/complete notifications/initialized notifications/message
    notifications/progress notifications/prompts/list_changed notifications/resources/list_changed
    notifications/resources/updated notifications/roots/list_changed notifications/subscriptions/acknowledged
    notifications/tasks/status notifications/tools/list_changed null number object optional ping private prompts/get
    prompts/list public ref/prompt ref/resource required resource resource_link resources/list resources/read
    resources/subscribe resources/templates/list resources/unsubscribe roots/list sampling/createMessage
    server/discover stopSequence string subscriptions/listen task tasks/cancel tasks/get tasks/list tasks/result text
    text/csv text/html text/markdown text/plain thisServer time tool_result tool_use toolUse tools/call tools/list uri
    url user uuid warning working any
    https://json-schema.org/draft/2020-12/schema http://json-schema.org/draft-07/schema#
    """
)
