/** Entry point of eviction; loaded when a node may come under pressure. */
export { createDescribedUsage } from './described-usage.ts'
export { completeEviction } from './eviction-config.ts'
export { EvictionManager } from './eviction-manager.ts'
