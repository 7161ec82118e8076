// Archives made of what the bytes choose: entries with odd names, methods, flags, sizes and checks,
// traces among them, one inside of another, cut or with bytes changed. By bytes alone hardly any
// archive would pass the checks of its directory.

#include <fuzzer/FuzzedDataProvider.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/fuzz/checked_analysis.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/support/trace_text.h"
#include "tests/support/zip_maker.h"

namespace {

using namespace stepscope;
using tests::ZipEntryText;
using tests::ZipText;

constexpr int kNestedMax = 2;

class ArchiveFromBytes {
 public:
  ArchiveFromBytes(const std::uint8_t* data, std::size_t size) : input_(data, size) {}

  std::string make() { return damaged(archive(0)); }
  std::uint64_t choices() { return input_.ConsumeIntegral<std::uint32_t>(); }

 private:
  std::string archive(int depth) {
    ZipText zip;
    const int entries = input_.ConsumeIntegralInRange(0, 5);
    for (int i = 0; i < entries; ++i) {
      if (i > 0 && one_in(10)) {
        zip.again(name());
      } else {
        zip.add(entry(depth));
      }
    }
    return one_in(16) ? zip.without_directory() : zip.archive();
  }

  ZipEntryText entry(int depth) {
    ZipEntryText entry;
    entry.name = name();
    entry.bytes = content(depth);
    if (one_in(2)) {
      entry.unpacked_size = static_cast<std::uint32_t>(entry.bytes.size());
      entry.crc = crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(entry.bytes.data()),
                                  entry.bytes.size());
      entry.bytes = tests::deflate(entry.bytes);
      entry.method = 8;
    }
    if (one_in(8)) entry.method = input_.ConsumeIntegral<std::uint16_t>();
    if (one_in(8)) entry.flags = input_.PickValueInArray<std::uint16_t>({1, 8, 0x800, 0x2000});
    if (one_in(8)) entry.crc = input_.ConsumeIntegral<std::uint32_t>();
    if (one_in(8)) entry.unpacked_size = input_.ConsumeIntegral<std::uint32_t>();
    return entry;
  }

  std::string name() {
    if (one_in(4)) return input_.ConsumeRandomLengthString(40);
    return input_.PickValueInArray({"TP-0.trace.json", "TP-1.trace.json.gz", "a/b/rank2.json",
                                    "../up.json", "/etc/x.json", "folder/", "__MACOSX/._t.json",
                                    "inner.zip", "trace.sqlite", "notes.txt", ""});
  }

  std::string content(int depth) {
    switch (input_.ConsumeIntegralInRange(0, 6)) {
      case 0:
        return depth < kNestedMax ? archive(depth + 1) : "";
      case 1:
        return input_.ConsumeRandomLengthString(200);
      case 2:
        return tests::gzip(trace());
      case 3:
        return fuzz::mutated_json(trace(), input_.ConsumeIntegral<std::uint16_t>() + 1U);
      default:
        return trace();
    }
  }

  std::string trace() {
    tests::TraceText text;
    const int kernels = input_.ConsumeIntegralInRange(0, 3);
    for (int i = 0; i < kernels; ++i) text.kernel("gemm", std::to_string(i * 10), "5", i);
    return one_in(3) ? text.array() : text.object();
  }

  std::string damaged(std::string bytes) {
    if (one_in(4) && !bytes.empty()) {
      bytes.resize(input_.ConsumeIntegralInRange<std::size_t>(0, bytes.size()));
    }
    const int changes = one_in(2) ? 0 : input_.ConsumeIntegralInRange(1, 4);
    for (int i = 0; i < changes && !bytes.empty(); ++i) {
      bytes[input_.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] =
          input_.ConsumeIntegral<char>();
    }
    return bytes;
  }

  bool one_in(int count) { return input_.ConsumeIntegralInRange(1, count) == count; }

  FuzzedDataProvider input_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ArchiveFromBytes archive(data, size);
  const std::string bytes = archive.make();
  fuzz::analyze_file(bytes, archive.choices());
  return 0;
}
