#pragma once
// What is left of a child's process group when this program was killed while the child ran: the
// child dies with its parent, its own children do not. A file names the group while it lives; the
// next start ends what these files name. Blocking, and quick.

#include <sys/types.h>

#include <filesystem>

namespace stepscope::workers {

// Writes the group's id and the start time of its leader. A file that can not be written is none.
void note_group(const std::filesystem::path& file, pid_t group);

// Kills the groups that the "*.group" files of `folder` name, and removes these files. A number
// that belongs to another process by now is left alone.
void end_left_groups(const std::filesystem::path& folder);

}  // namespace stepscope::workers
