#include "shared_rule.hpp"

const void* rule_in_other_unit() { return &shared_rule; }
