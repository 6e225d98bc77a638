import {
  copyAndReplace,
  defaultPredicates,
  defaultPriorities,
  registerAlgorithmProvider,
  registerFitPredicate,
  registerPriorityFunction2,
  registerScheduleAlgorithm,
} from 'bowsprit/scheduler-plugin'

/** A predicate: may the pod go to the node? */
registerFitPredicate('NotOnLaptops', (pod, { node }) =>
  node.metadata.labels?.laptop === undefined || pod.metadata.labels?.portable !== undefined ? true : [false, ['node(s) were laptops']],
)

/** A priority: how well does the node suit the pod, from 0 to 10? `undefined`: the numbers stay as they are. */
registerPriorityFunction2('QuietPriority', (_pod, { pods }) => 10 - Math.min(10, pods.length), undefined, 3)

// The page's two lines: a provider under a name of its own, made of Kubernetes' predicates and priorities and of these two.
registerAlgorithmProvider(
  'QuietProvider',
  [...defaultPredicates(), 'NotOnLaptops'],
  [...copyAndReplace(defaultPriorities(), 'LeastRequestedPriority', 'MostRequestedPriority'), 'QuietPriority'],
)

/** A ScheduleAlgorithm: the whole choice is its own. The first node by name that has no pod yet, else the first of all. */
registerScheduleAlgorithm('FirstFree', {
  schedule(_pod, nodes) {
    const byName = [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))
    const chosen = byName.find(({ pods }) => pods.length === 0) ?? byName[0]
    if (chosen === undefined) throw new Error('there is no node')
    return chosen.name
  },
})
