#pragma once
#include <string>

#include "support/folder.hpp"

/// A folder with a file that external data may be in, "weights". It stays until the process ends, however it ends.
inline const Folder& weights_folder() {
  static const Folder& folder = *[] {
    auto* const made = new Folder;
    write_file(*made / "weights", std::string(256, '\2'));
    return made;
  }();
  return folder;
}
