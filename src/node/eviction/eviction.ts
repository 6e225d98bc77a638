/** What is loaded when nodes may run short of something, and not before. */
export { createDescribedUsage } from './described-usage.ts'
export { completeEviction } from './eviction-config.ts'
export { EvictionManager } from './eviction-manager.ts'
