import { registerAlgorithmProvider, registerFitPredicate, registerScheduleAlgorithm, type SchedulerPlugin } from 'bowsprit/scheduler-plugin'

/** A module of predicates and algorithms, as `bowsprit scheduler --algorithm-module` loads it. */
registerFitPredicate('Anywhere', () => true)
registerAlgorithmProvider('AnywhereProvider', ['GeneralPredicates', 'Anywhere'], [])
registerScheduleAlgorithm('FirstFree', {
  schedule(_pod, [first]) {
    if (first === undefined) throw new Error('there is no node')
    return first.name
  },
})

/** And a plugin. */
export default { score: () => 1 } satisfies SchedulerPlugin
