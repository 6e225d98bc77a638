import type { ResourceDefinition } from '../../machinery/resource/definition.ts'

/** Sets the lifetime of objects that expire (events). */
export const withTimeToLive = (definition: ResourceDefinition, ttlMs: number | undefined): ResourceDefinition => {
  if (definition.ttlMs === undefined || definition.ttlMs === ttlMs) return definition
  const { ttlMs: _, ...without } = definition
  return ttlMs === undefined ? without : { ...without, ttlMs }
}
