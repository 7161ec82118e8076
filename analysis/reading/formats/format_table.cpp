#include "analysis/reading/formats/format_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "analysis/reading/formats/protobuf_shape.h"
#include "analysis/reading/json/json_text.h"
#include "analysis/reading/json/json_walker.h"

namespace stepscope::analysis {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kKineto = "take the Kineto trace of the same run";
constexpr std::string_view kAgain = "give the trace itself";

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  OtherFormat format;
};

constexpr std::array<Signature, 27> kSignatures = {{
    {0, "PK\x03\x04", {"a zip archive inside of another file", "unpack it once", true, true}},
    {0, "PK\x05\x06", {"a zip archive inside of another file", "unpack it once", true, true}},
    {0, "\x1F\x8B", {"gzip inside of gzip", "unpack it once", true, true}},
    {0, "\x28\xB5\x2F\xFD", {"packed with zstd", "unpack it with \"zstd -d\"", true, true}},
    {0, "\xFD\x37zXZ\0"sv, {"packed with xz", "unpack it with \"xz -d\"", true, true}},
    {0, "BZh", {"packed with bzip2", "unpack it with \"bunzip2\"", true, true}},
    {0, "\x04\x22\x4D\x18", {"packed with lz4", "unpack it with \"lz4 -d\"", true, true}},
    {0, "7z\xBC\xAF\x27\x1C", {"a 7z archive", "unpack it with \"7z x\"", true, true}},
    {0, "Rar!\x1A\x07", {"a RAR archive", "unpack it with \"unrar x\"", true, true}},
    {257, "ustar", {"a tar archive", "unpack it with \"tar -xf\"", true, true}},
    {0,
     "NVIDIA Tegra Profiler Report",
     {"an Nsight Systems report", "export it with \"nsys export --type sqlite\"", true}},
    {0,
     "NVR\0"sv,
     {"an Nsight Compute report, which has counters of single kernels and no timeline",
      "profile with nsys or torch.profiler", true}},
    {0, "\x80\x02", {"a Python pickle, as PyTorch's memory snapshot is", kKineto, true}},
    {0, "\x80\x03", {"a Python pickle, as PyTorch's memory snapshot is", kKineto, true}},
    {0, "\x80\x04", {"a Python pickle, as PyTorch's memory snapshot is", kKineto, true}},
    {0, "\x80\x05", {"a Python pickle, as PyTorch's memory snapshot is", kKineto, true}},
    {0, "\x89HDF\r\n\x1A\n", {"an HDF5 file", "nsys can export SQLite instead", true}},
    {0, "PAR1", {"a Parquet file", "nsys can export SQLite instead", true}},
    {0, "ARROW1", {"an Arrow file", "nsys can export SQLite instead", true}},
    {0,
     "version https://git-lfs",
     {"a pointer of Git LFS and not the file it stands for", "fetch it with \"git lfs pull\""}},
    {0, "\xFF\xFE", {"text in UTF-16", "save it as UTF-8"}},
    {0, "\xFE\xFF", {"text in UTF-16", "save it as UTF-8"}},
    {0,
     "\x7F"
     "ELF",
     {"a program or library (ELF)", kAgain}},
    {0, "\x89PNG", {"a picture (PNG)", kAgain}},
    {0, "\xFF\xD8\xFF", {"a picture (JPEG)", kAgain}},
    {0, "GIF8", {"a picture (GIF)", kAgain}},
    {0, "%PDF-", {"a PDF document", kAgain}},
}};

bool starts_with_word(std::string_view head, std::string_view lowered_word) {
  const std::size_t from = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  head.remove_prefix(from);
  return head.size() >= lowered_word.size() &&
         std::ranges::equal(head.substr(0, lowered_word.size()), lowered_word, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
         });
}

bool is_web_page(std::string_view head) {
  return starts_with_word(head, "<!doctype html") || starts_with_word(head, "<html");
}

bool is_xml(std::string_view head) { return starts_with_word(head, "<?xml"); }

// A record is 8 bytes of length and 4 of checksum, then an event that names the version.
bool is_tensorboard(std::string_view head) {
  return head.substr(0, 64).find("brain.Event:") != std::string_view::npos;
}

// One object a line and no trace in the first.
bool is_json_lines(std::string_view head) {
  std::size_t pos = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  if (pos == head.size() || head[pos] != '{') return false;
  const std::size_t begin = pos;
  JsonWalker walker;
  if (walker.walk(head, pos) != JsonWalker::Outcome::done) return false;
  const std::string_view first = head.substr(begin, pos - begin);
  const std::size_t next = head.find_first_not_of(" \t\r\n", pos);
  return next != std::string_view::npos && head[next] == '{' &&
         first.find("\"traceEvents\"") == std::string_view::npos &&
         first.find("\"rocprofiler-sdk-tool\"") == std::string_view::npos;
}

bool is_json_start(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

std::size_t commas_of(std::string_view line) {
  bool quoted = false;
  return static_cast<std::size_t>(std::ranges::count_if(line, [&](char c) {
    if (c == '"') quoted = !quoted;
    return c == ',' && !quoted;
  }));
}

// Two lines with the same number of columns, at least three.
bool is_csv(std::string_view head) {
  const std::size_t end = head.find('\n');
  if (end == std::string_view::npos || is_json_start(head)) return false;
  const std::string_view rest = head.substr(end + 1);
  const std::size_t commas = commas_of(head.substr(0, end));
  return commas >= 2 && commas_of(rest.substr(0, rest.find('\n'))) == commas;
}

struct Shape {
  bool (*matches)(std::string_view head);
  OtherFormat format;
};

constexpr std::array<Shape, 7> kShapes = {{
    {is_xplane,
     {"an XPlane protobuf (JAX, TensorFlow)", "profile with torch.profiler, nsys or rocprofv3",
      true}},
    {is_perfetto,
     {"a Perfetto protobuf",
      "give the JSON or SQLite that the profiler can write (rocprofv3: "
      "--output-format json)",
      true}},
    {is_tensorboard, {"an event file of TensorBoard, which has no timeline", kKineto, true}},
    {is_web_page, {"a web page", "you saved a page, perhaps a log-in page, instead of the file"}},
    {is_xml, {"XML", kAgain}},
    {is_json_lines, {"JSON lines (one object a line)", "give one object with \"traceEvents\""}},
    {is_csv,
     {"comma-separated values",
      "give the timeline and not a table of it (nsys: the .sqlite; rocprofv3: "
      "--output-format json)"}},
}};

struct Suffix {
  std::string_view end;
  OtherFormat format;
};

constexpr std::array<Suffix, 6> kSuffixes = {{
    {".nsys-rep",
     {"an Nsight Systems report", "export it with \"nsys export --type sqlite\"", true}},
    {".qdrep", {"an Nsight Systems report", "export it with \"nsys export --type sqlite\"", true}},
    {".qdstrm", {"an Nsight Systems stream", "turn it into a report, and that into SQLite", true}},
    {".ncu-rep", {"an Nsight Compute report", "profile with nsys or torch.profiler", true}},
    {".pb", {"a protobuf", "profile with torch.profiler, nsys or rocprofv3", true}},
    {".pftrace", {"a Perfetto protobuf", "let rocprofv3 write JSON (--output-format json)", true}},
}};

}  // namespace

bool is_binary(std::string_view head) {
  auto odd = [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1B';
  };
  return std::ranges::any_of(head.substr(0, 4096), odd);
}

const OtherFormat* other_format(std::string_view head, const std::string& file) {
  for (const Signature& signature : kSignatures) {
    if (head.size() >= signature.offset &&
        head.substr(signature.offset).starts_with(signature.bytes)) {
      return &signature.format;
    }
  }
  for (const Shape& shape : kShapes) {
    if (shape.matches(head)) return &shape.format;
  }
  if (!is_binary(head)) return nullptr;
  for (const Suffix& suffix : kSuffixes) {
    if (file.ends_with(suffix.end)) return &suffix.format;
  }
  return nullptr;
}

}  // namespace stepscope::analysis
