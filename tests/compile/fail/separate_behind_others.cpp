// expect: must be included before all other headers of graft
#include <graft/separate.hpp>
