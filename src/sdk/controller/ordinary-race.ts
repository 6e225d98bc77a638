import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'

/**
 * Whether a write failed because the cluster has changed meanwhile: a conflict (the cache is behind, the event will follow), or a namespace
 * that is being deleted. Trying again mends it; it is logged for debugging only, as kube-controller-manager does.
 */
export const isOrdinaryRace = (error: unknown): boolean => isStatus(error, 'Conflict') || isTerminatingNamespace(error)
