#pragma once
// Changes JSON text so that it mostly stays JSON: blanks between tokens, other values, values
// copied over others, odd pieces in strings, members and elements more or fewer. Text that is no
// JSON is changed as far as it can be understood. Pure but for the random numbers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::fuzz {

std::string mutated_json(std::string_view text, unsigned seed);

// For LLVMFuzzerCustomMutator: mostly the above, else libFuzzer's own changes of bytes.
std::size_t mutate_json_bytes(std::uint8_t* data, std::size_t size, std::size_t size_max,
                              unsigned seed);

}  // namespace stepscope::fuzz
