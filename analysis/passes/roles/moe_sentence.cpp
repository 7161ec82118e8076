#include "analysis/passes/roles/moe_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/figures.h"

namespace stepscope::analysis {
namespace {

const MoePart* find_part(std::span<const MoePart> parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &MoePart::part);
  return found == parts.end() ? nullptr : &*found;
}

std::string ms(Ns ns) { return format_ms(ns) + " ms"; }

// ", and 0.100 ms hidden"
std::string hidden_words(Ns hidden_ns) {
  return hidden_ns == 0 ? "" : fmt::format(" and {} hidden", ms(hidden_ns));
}

std::string stream_words(const MoeSentenceFacts& facts, const std::string& stream) {
  if (stream.empty()) return "";
  return stream == facts.critical_stream ? " on the critical stream" : " on stream " + stream;
}

std::string shared_words(const MoeSentenceFacts& facts) {
  const MoePart* shared = find_part(facts.parts, "shared_expert");
  const MoePart* collectives = find_part(facts.parts, "collectives");
  if (shared == nullptr) return "";
  const std::string where = stream_words(facts, facts.shared_stream);
  std::string out =
      shared->charged_ns == 0
          ? fmt::format("Shared experts worked {}{}, all of it hidden", ms(shared->busy_ns), where)
          : fmt::format("Shared experts {}{}{}", ms(shared->charged_ns), where,
                        hidden_words(shared->hidden_ns));
  if (collectives != nullptr) {
    out += fmt::format(", and {}{} for the {} that end the MoE layers", ms(collectives->charged_ns),
                       hidden_words(collectives->hidden_ns), facts.collectives);
  }
  return out + ". ";
}

std::string routed_words(const MoeSentenceFacts& facts) {
  const MoePart& routed = facts.routed;
  if (routed.calls == 0) return "";
  const bool router = find_part(facts.parts, "router") != nullptr;
  const std::string start =
      fmt::format("Routed experts{} worked {}{}, ", router ? " with their router" : "",
                  ms(routed.busy_ns), stream_words(facts, facts.routed_stream));
  const bool elsewhere = facts.routed_stream != facts.critical_stream;
  const std::string behind = elsewhere && facts.behind_critical
                                 ? fmt::format("behind stream {}", facts.critical_stream)
                                 : std::string("behind other work");
  if (routed.charged_ns == 0) {
    return fmt::format("{}all of it hidden {} in this step ({} exposed). ", start, behind,
                       ms(routed.exposed_ns));
  }
  if (routed.hidden_ns == 0) {
    return fmt::format("{}all of it charged to the step ({} hidden, {} exposed). ", start, ms(0),
                       ms(routed.exposed_ns));
  }
  return fmt::format("{}{} of it charged to the step and {} hidden {} ({} exposed). ", start,
                     ms(routed.charged_ns), ms(routed.hidden_ns), behind, ms(routed.exposed_ns));
}

// Without a shared expert they have a sentence of their own.
std::string collective_words(const MoeSentenceFacts& facts) {
  const MoePart* collectives = find_part(facts.parts, "collectives");
  if (collectives == nullptr || find_part(facts.parts, "shared_expert") != nullptr) return "";
  return fmt::format("The {} that end the MoE layers: {} charged and {} hidden. ",
                     facts.collectives, ms(collectives->charged_ns), ms(collectives->hidden_ns));
}

std::string exchange_words(const MoeSentenceFacts& facts) {
  std::string out;
  for (const std::string_view name : {"dispatch", "combine"}) {
    const MoePart* part = find_part(facts.parts, name);
    if (part == nullptr) continue;
    out += fmt::format("{} {} charged and {} hidden. ", name == "dispatch" ? "Dispatch" : "Combine",
                       ms(part->charged_ns), ms(part->hidden_ns));
  }
  return out;
}

}  // namespace

std::string moe_sentence(const MoeSentenceFacts& facts) {
  std::string out = shared_words(facts) + routed_words(facts);
  if (facts.exchanges) out += exchange_words(facts);
  out += collective_words(facts);
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace stepscope::analysis
