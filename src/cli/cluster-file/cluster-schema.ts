import type { Command } from 'commander'
import { type ClusterField, clusterFields } from './fields.ts'
import { CLUSTER_FILE } from './read-cluster-file.ts'

const TYPES: Readonly<Record<ClusterField['kind'], object>> = {
  flag: { type: 'boolean' },
  number: { type: 'integer', minimum: 0 },
  path: { type: 'string' },
  text: { type: ['string', 'number'] },
  list: { oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
  several: { type: 'array', items: { type: 'string' } },
  shapes: { oneOf: [{ type: 'array', items: { type: 'object' } }, { type: 'string' }] },
  map: { oneOf: [{ type: 'object', additionalProperties: { type: 'integer' } }, { type: 'string' }] },
}

/** The JSON schema of cluster files, for editors. */
export function clusterSchema(up: Command): object {
  const fields = clusterFields(up).map(({ name, kind, option }) => [name, { ...TYPES[kind], description: option.description }] as const)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A cluster of bowsprit up -f',
    type: 'object',
    required: Object.keys(CLUSTER_FILE),
    additionalProperties: false,
    properties: {
      apiVersion: { const: CLUSTER_FILE.apiVersion },
      kind: { const: CLUSTER_FILE.kind },
      metadata: { type: 'object' },
      spec: { type: 'object', additionalProperties: false, properties: Object.fromEntries(fields) },
    },
  }
}
