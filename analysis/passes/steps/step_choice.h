#pragma once
// R9: which step is shown, of which rank and device. Pure functions on measured steps; what was
// decided and what was left out comes back as short sentences.

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/passes/steps/step_window.h"

namespace stepscope::analysis {

// The measured steps of one device.
using DeviceSteps = std::span<const MeasuredStep>;

struct PhaseChoice {
  std::optional<std::string> phase;  // absent: there is no step at all
  std::vector<std::string> notes;
};

// The asked phase, else the one with most busy time among the steps of the devices.
PhaseChoice choose_phase(std::span<const DeviceSteps> devices,
                         const std::optional<std::string>& asked);

// Phases of steps that answer for the asked one, best first: its own, verify steps for decode (with
// speculative decoding they are the model's decode steps), and unknown. A mixed step answers for
// neither of its halves.
std::vector<std::string> phases_answering(const std::string& asked);

// Devices of the asked rank, else of the lowest rank (without ranks: of the first process), as
// numbers into `devices`, which are in the order of the table. Error: the ranks that there are.
std::expected<std::vector<std::size_t>, std::string> devices_of_rank(
    const std::vector<Device>& devices, std::optional<int> asked);

struct StepPick {
  std::size_t step = 0;  // into the steps
  StepSpread spread;
  std::vector<std::string> notes;
};

// The lower median by (span, busy, index) of the group of steps that fits the options, after
// leaving out step 0 when another remains; or the step of that index; or all. Empty when no step
// answers for the phase. The period of a verify step reaches over its draft work. Error: the index
// that was asked for does not exist.
std::expected<std::vector<StepPick>, std::string> choose_steps(DeviceSteps steps,
                                                               const std::string& phase,
                                                               const AnalyzeOptions& options);

}  // namespace stepscope::analysis
