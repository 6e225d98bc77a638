/** `bowsprit/scheduler-plugin`: what authors of plugins for the scheduler import, and of algorithms as they once were registered. */

export {
  type AlgorithmProvider,
  copyAndReplace,
  defaultPredicates,
  defaultPriorities,
  type Fit,
  FitError,
  type FitPredicate,
  type HostPriority,
  type PluginFactoryArgs,
  type PredicatePolicy,
  type PriorityConfigFactory,
  type PriorityMapFunction,
  type PriorityReduceFunction,
  registerAlgorithmProvider,
  registerCustomFitPredicate,
  registerFitPredicate,
  registerPriorityConfigFactory,
  registerPriorityFunction2,
  registerScheduleAlgorithm,
  type ScheduleAlgorithm,
} from './algorithm-registry.ts'
export type { Permit, PluginNode, PluginTools, SchedulerPlugin, Verdict, WaitingPod } from './scheduler-plugin.ts'
