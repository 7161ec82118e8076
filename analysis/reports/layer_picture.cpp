// One layer as text that people can scan: a line for each kernel of the layer stream with its bar,
// what the other streams do beside it, and idle. The figures add up to the layer as printed.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/reports/report_sections.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kLinesMax = 48;
constexpr std::size_t kRoleChars = 24;
constexpr std::size_t kNameChars = 40;
constexpr std::size_t kWholeNameChars = 400;
constexpr std::size_t kFigureChars = 8;
constexpr std::size_t kSideRolesMax = 12;
constexpr std::size_t kBelowChars = 90;
constexpr int kBarWidth = 12;

struct PictureLine {
  std::string role;
  std::string name;
  Ns ns = 0;
  std::int64_t calls = 0;
  std::string remark;
  std::string below = {};  // lines of their own
};

bool is_gemm(const LayerRow& row) { return row.category.starts_with("gemm"); }

// Folding writes its ellipsis before a ">", cutting does so in the middle of anything.
bool is_cut(std::string_view name) {
  constexpr std::string_view kEllipsis = "…";
  for (std::size_t at = name.find(kEllipsis); at != std::string_view::npos;
       at = name.find(kEllipsis, at + 1)) {
    if (!name.substr(at + kEllipsis.size()).starts_with('>')) return true;
  }
  return false;
}

// Where the folded name does not fit, its stem says more than the name with its middle cut out.
std::string picture_name(std::string_view name) {
  std::string out = short_kernel_name(name, kNameChars);
  if (!is_cut(out)) return out;
  out = short_kernel_name(name, kWholeNameChars);
  if (const std::size_t at = out.find('<'); at != std::string::npos && at > 0) out.resize(at);
  if (const std::size_t at = out.rfind("::"); at != std::string::npos) out.erase(0, at + 2);
  return shortened(out, kNameChars);
}

std::string role_of(const LayerRow& row) {
  if (!row.role.empty()) return row.role;
  if (is_gemm(row)) return "GEMM, role not told";
  return component_label(row.component);
}

// Neighbours of one role and name share a line; what is beyond kLinesMax is one line.
std::vector<PictureLine> stream_lines(const Layers& layers, const LayerKind& kind) {
  std::vector<PictureLine> lines;
  for (const LayerRow& row : kind.rows) {
    if (row.stream != layers.stream || row.calls == 0) continue;
    PictureLine line{role_of(row), picture_name(row.name), row.charged_ns, row.calls,
                     row.names_vary ? "name varies" : ""};
    if (!lines.empty() && lines.back().role == line.role && lines.back().name == line.name) {
      lines.back().ns += line.ns;
      lines.back().calls += line.calls;
    } else if (lines.size() < kLinesMax) {
      lines.push_back(std::move(line));
    } else {
      if (lines.back().role != "other") lines.push_back({"other", "", 0, 0, ""});
      lines.back().ns += line.ns;
      lines.back().calls += line.calls;
    }
  }
  return lines;
}

// One line a stream, below it what runs there: "router, expert GEMM ×2"; charged is what the stream
// adds to the layer.
void add_side_lines(std::vector<PictureLine>& lines, const Layers& layers, const LayerKind& kind) {
  struct Side {
    std::vector<std::pair<std::string, std::int64_t>> roles;
    Ns charged = 0;
    Ns sum = 0;
  };
  std::map<std::string_view, Side> sides;
  for (const LayerRow& row : kind.rows) {
    if (row.stream == layers.stream || row.calls == 0) continue;
    Side& side = sides[row.stream];
    side.charged += row.charged_ns;
    side.sum += row.sum_ns;
    const std::string role = role_of(row);
    const auto found =
        std::ranges::find(side.roles, role, &std::pair<std::string, std::int64_t>::first);
    if (found == side.roles.end()) {
      side.roles.emplace_back(role, row.calls);
    } else {
      found->second += row.calls;
    }
  }
  for (const auto& [stream, side] : sides) {
    std::string what;
    for (std::size_t i = 0; i < side.roles.size() && i < kSideRolesMax; ++i) {
      what += fmt::format("{}{}", i == 0 ? "" : ", ", side.roles[i].first);
      if (side.roles[i].second > 1) what += fmt::format(" ×{}", side.roles[i].second);
    }
    if (side.roles.size() > kSideRolesMax) what += ", …";
    PictureLine line{fmt::format("stream {}, charged", stream),
                     fmt::format("of {} µs in sum", format_us(side.sum)), side.charged, 0, ""};
    line.below = std::move(what);
    lines.push_back(std::move(line));
  }
}

// Breaks after commas; a comment shows about a hundred characters.
void add_wrapped(FixedText& picture, std::string_view words) {
  std::string line;
  while (!words.empty()) {
    const std::size_t comma = words.find(", ");
    const std::size_t end = comma == std::string_view::npos ? words.size() : comma + 2;
    const std::string_view word = words.substr(0, end);
    if (!line.empty() && char_count(line) + char_count(word) > kBelowChars) {
      picture.lines.push_back("  " + std::exchange(line, {}));
    }
    line += word;
    words.remove_prefix(end);
  }
  if (!line.empty()) picture.lines.push_back("  " + line);
}

}  // namespace

FixedText layer_picture(const Layers& layers, const LayerKind& kind) {
  std::vector<PictureLine> lines = stream_lines(layers, kind);
  add_side_lines(lines, layers, kind);
  lines.push_back({"idle", "", kind.idle_ns, 0, ""});
  std::vector<Ns> parts;
  std::size_t role_chars = 0;
  std::size_t name_chars = 0;
  for (PictureLine& line : lines) {
    line.role = shortened(line.role, kRoleChars);
    line.name = harmless_text(line.name);
    if (line.calls > 1) line.name += fmt::format(" ×{}", line.calls);
    parts.push_back(line.ns);
    role_chars = std::max(role_chars, char_count(line.role));
    name_chars = std::max(name_chars, char_count(line.name));
  }
  const Ns largest = *std::ranges::max_element(parts);
  const std::vector<Ns> rounded = round_to_unit(parts, kind.median_wall_ns, 100);

  const std::size_t text_chars = role_chars + 2 + name_chars;
  std::string title = fmt::format("layer {}, {}", kind.median_layer + 1, kind.label);
  if (kind.count > 1) title += fmt::format(": the median of {}", kind.count);
  title = padded(shortened(title, text_chars), text_chars);
  FixedText picture{{title + right_aligned("µs", kFigureChars)}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = padded(lines[i].role, role_chars + 2) + padded(lines[i].name, name_chars) +
                       right_aligned(format_us(rounded[i]), kFigureChars);
    std::string tail = bar(parts[i], largest, kBarWidth);
    if (!lines[i].remark.empty()) tail = padded(tail, kBarWidth + 1) + lines[i].remark;
    if (!tail.empty()) text += "  " + tail;
    picture.lines.push_back(std::move(text));
    add_wrapped(picture, lines[i].below);
  }
  picture.lines.push_back(padded("wall of the layer", text_chars) +
                          right_aligned(format_us(kind.median_wall_ns), kFigureChars));
  return picture;
}

}  // namespace stepscope::analysis
