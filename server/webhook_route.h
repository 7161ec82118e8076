#pragma once
// POST /webhooks/github: from raw bytes to a stored request and 202, in the order that safety asks
// for: size, content type, signature, then JSON. Plumbing; the decisions are webhooks/intake.

#include "runtime/router.h"
#include "server/app.h"
#include "webhooks/github_client.h"
#include "webhooks/permission.h"
#include "webhooks/request_reader.h"

namespace stepscope::server {

struct WebhookParts {
  webhooks::GitHubClient& client;
  webhooks::Permission& permission;
  const webhooks::RequestReader& reader;
};

// `app` and what `parts` refers to must outlive the router.
void add_webhook_route(runtime::Router& router, App& app, WebhookParts parts);

}  // namespace stepscope::server
