#include "analysis/reports/html/html_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/reports/html/html_bar.h"
#include "analysis/reports/report_words.h"
#include "analysis/reports/text.h"

namespace stepscope::analysis {
namespace {

constexpr std::size_t kNameChars = 72;
constexpr std::size_t kWordChars = 200;

// Streams in the order of their lanes: the critical one, then the busiest.
std::vector<std::uint32_t> lane_order(const Accounting& accounting) {
  std::vector<std::uint32_t> order(accounting.streams.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    const StreamRow& row = accounting.streams[i];
    return std::tuple(row.stream != accounting.primary_stream, -row.busy_ns, i);
  };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

// The roles of a kernel's calls, the largest first. Which call has which is not told.
std::string role_words(const KernelRow& row) {
  std::string out;
  for (const KernelRole& role : row.roles) {
    if (!role.role.empty()) out += (out.empty() ? "" : " or ") + role.role;
  }
  return shortened(out, kWordChars);
}

// By place where it is told, as the components of the step are; a role can say more than its
// component ("lm_head").
std::string_view colour_of(const KernelRow& row) {
  if (!row.roles.empty()) {
    const KernelRole& largest = row.roles.front();
    for (const std::string& key : {largest.component, largest.role}) {
      const std::string_view colour = colour_name(key);
      if (colour != "other") return colour;
    }
  }
  const bool is_plain_gemm = row.component == "other" && row.category == "gemm-dense";
  return is_plain_gemm ? "gemm" : colour_name(row.component);
}

nlohmann::json kernel_json(const KernelRow& row) {
  return {short_kernel_name(row.name, kNameChars), shortened(row.category, kWordChars),
          fmt::format("c-{}", colour_of(row)), role_words(row)};
}

std::string numbers(const std::vector<Ns>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

std::vector<Ns> layer_bounds(const ShownStep& shown) {
  const auto phase = std::ranges::find(shown.phases, "layers", &Phase::name);
  if (!shown.layers || phase == shown.phases.end()) return {};
  std::vector<Ns> bounds = {phase->start_ns};
  for (const Ns wall : shown.layers->wall_ns) bounds.push_back(bounds.back() + wall);
  return bounds;
}

std::vector<Ns> event_numbers(const ShownStep& shown, const std::vector<std::uint32_t>& lane_of) {
  std::vector<const TimelineEvent*> events;
  events.reserve(shown.timeline.size());
  for (const TimelineEvent& event : shown.timeline) {
    const bool known = event.stream < lane_of.size() &&
                       event.kernel < shown.accounting.kernels.size() && event.dur_ns >= 0;
    if (known) events.push_back(&event);
  }
  std::ranges::sort(events, [](const TimelineEvent* a, const TimelineEvent* b) {
    return std::tuple(a->start_ns, -a->dur_ns, a->stream, a->kernel, a) <
           std::tuple(b->start_ns, -b->dur_ns, b->stream, b->kernel, b);
  });
  std::vector<Ns> out;
  out.reserve(events.size() * 5);
  for (const TimelineEvent* event : events) {
    out.insert(out.end(), {event->start_ns, event->dur_ns, lane_of[event->stream], event->kernel,
                           event->layer});
  }
  return out;
}

// JSON in which nothing can end a script element or a line of one.
std::string inert(const nlohmann::json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string timeline_json(const ShownStep& shown) {
  const Accounting& accounting = shown.accounting;
  const std::vector<std::uint32_t> order = lane_order(accounting);
  std::vector<std::uint32_t> lane_of(order.size());
  nlohmann::json streams = nlohmann::json::array();
  for (std::uint32_t lane = 0; lane < order.size(); ++lane) {
    const std::string& name = accounting.streams[order[lane]].stream;
    lane_of[order[lane]] = lane;
    streams.push_back(fmt::format("stream {}{}", shortened(name, kWordChars),
                                  name == accounting.primary_stream ? ", critical" : ""));
  }
  nlohmann::json kernels = nlohmann::json::array();
  for (const KernelRow& row : accounting.kernels) kernels.push_back(kernel_json(row));
  return fmt::format(R"({{"wall":{},"streams":{},"kernels":{},"layers":[{}],"events":[{}]}})",
                     accounting.window_ns, inert(streams), inert(kernels),
                     numbers(layer_bounds(shown)), numbers(event_numbers(shown, lane_of)));
}

std::string step_timeline(const ShownStep& shown) {
  std::int64_t calls = 0;
  for (const StreamRow& row : shown.accounting.streams) calls += row.calls;
  if (calls == 0 || shown.accounting.window_ns <= 0) return "";
  if (shown.timeline.empty()) {
    return fmt::format(
        "<p>{} are too many to draw one by one: this report has no timeline, its tables hold all "
        "of them.</p>\n",
        counted(calls, "device event"));
  }
  return fmt::format(
      "<figure class=\"timeline\">\n<figcaption>Timeline: {} on {}</figcaption>\n<p "
      "class=\"no-script\">The timeline is drawn by a script, which did not run here. Its figures "
      "are in the tables below.</p>\n<script type=\"application/json\">{}</script>\n</figure>\n",
      counted(static_cast<std::int64_t>(shown.timeline.size()), "device event"),
      counted(static_cast<std::int64_t>(shown.accounting.streams.size()), "stream"),
      timeline_json(shown));
}

}  // namespace stepscope::analysis
