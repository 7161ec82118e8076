#include "workers/trace_digest.h"

#include <cstddef>
#include <span>
#include <string>

#include "runtime/crypto.h"

namespace stepscope::workers {
namespace {

class TraceDigest final : public analysis::FileDigest {
 public:
  void update(std::span<const std::byte> bytes) override { stream_.update(bytes); }
  std::string finish() override { return stream_.finish_hex(); }

 private:
  runtime::Sha256Stream stream_;
};

}  // namespace

std::unique_ptr<analysis::FileDigest> make_trace_digest() {
  return std::make_unique<TraceDigest>();
}

}  // namespace stepscope::workers
