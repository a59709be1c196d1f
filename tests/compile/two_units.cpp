#include "shared_rule.hpp"

const void* rule_in_other_unit();

// Linking has shown that nothing is defined twice; a rule must also be one object, whoever includes it.
int main() { return rule_in_other_unit() == &shared_rule ? 0 : 1; }
