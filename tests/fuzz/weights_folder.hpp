#pragma once
#include <string>

#include "support/folder.hpp"

/// A folder with a file that external data may be in, "weights". It goes when the process exits.
inline const Folder& weights_folder() {
  struct Filled : Folder {
    Filled() { write_file(*this / "weights", std::string(256, '\2')); }
  };
  static const Filled folder;
  return folder;
}
