#pragma once
// What the routes share: references to the parts that serve.cpp owns. A Database is touched on its
// own pool only.

#include <functional>
#include <string>

#include "db/catalog.h"
#include "db/database.h"
#include "runtime/blocking_pool.h"
#include "runtime/clock.h"
#include "server/access.h"
#include "server/config.h"
#include "workers/artifacts.h"

namespace stepscope::server {

struct App {
  const Config& config;
  const runtime::Clock& clock;
  runtime::BlockingPool& db_write;
  db::Database& writer;
  runtime::BlockingPool& db_read;
  db::Database& reader;
  const db::Catalog& catalog;
  const workers::Artifacts& artifacts;
  const Access& access;
  std::function<void()> job_queued;  // wakes the dispatcher
  std::function<void()> reply_due;   // wakes the responder
};

}  // namespace stepscope::server
