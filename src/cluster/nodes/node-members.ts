import type { JsonObject } from '../../machinery/object.ts'
import { readNodeShape } from '../../node/status/node-shape.ts'
import { NODES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { MACHINE } from './added-nodes.ts'

/** Adds a simulated node to a running cluster: its nodes start an agent for it. @throws {NodeShapeError} */
export async function addNode(client: Client, name: string, given: JsonObject): Promise<Node> {
  const { labels, taints, ...machine } = readNodeShape(given, 'shape')
  const metadata = { name, annotations: { [MACHINE]: JSON.stringify(machine) }, ...(labels && { labels }) }
  return client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata, spec: { ...(taints && { taints }) } })
}

/** Why a node cannot be removed; undefined: it was removed. */
export async function removeNode(client: Client, name: string): Promise<string | undefined> {
  const { metadata } = await client.get({ ...NODES, name })
  if (metadata.annotations?.[MACHINE] === undefined) return 'it was not added by "bowsprit node add"'
  await client.delete({ ...NODES, name })
  return undefined
}
