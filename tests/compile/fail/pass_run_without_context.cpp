// expect: a pass runs on (Model&), (Model&, Context&) or (Graph&, Context&), not on temporaries
#include <graft/rewrite.hpp>

using namespace graft;

Report run(const Pass& pass, Model& model) { return pass.run(model.graph()); }
