#pragma once
// HttpClient on libcurl: blocking transfers on a pool, connections kept between them. Speaks https,
// and http to loopback addresses only; follows no redirect.

#include <memory>
#include <string>

#include "runtime/blocking_pool.h"
#include "runtime/http_client.h"

namespace stepscope::runtime {

class CurlClient final : public HttpClient {
 public:
  // `pool` must outlive the client. `ca_file`: additional certificate authority, or empty.
  CurlClient(BlockingPool& pool, std::string user_agent, std::string ca_file = {});
  ~CurlClient() override;
  boost::asio::awaitable<Result<HttpResponse>> send(OutgoingRequest request) override;
  // The same, on the calling thread (command line clients).
  Result<HttpResponse> send_blocking(const OutgoingRequest& request);

 private:
  struct Transfers;
  BlockingPool& pool_;
  std::shared_ptr<Transfers> transfers_;  // a transfer on the pool may outlast the client
};

}  // namespace stepscope::runtime
