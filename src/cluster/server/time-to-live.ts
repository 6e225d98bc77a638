import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** What does not stay for ever (events) stays for this time. */
export const withTimeToLive = (definition: ResourceDefinition, ttlMs: number | undefined): ResourceDefinition => {
  if (definition.ttlMs === undefined || definition.ttlMs === ttlMs) return definition
  const { ttlMs: _, ...without } = definition
  return ttlMs === undefined ? without : { ...without, ttlMs }
}
