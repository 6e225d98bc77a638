import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { kubectlPath } from '../../../scripts/clients.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import { PODS } from '../../../src/resources/refs.ts'
import { differences } from './compare.ts'
import type { Group, Row } from './recording.ts'
import { send } from './send.ts'
import { openStage, type Stage } from './stage.ts'

export interface RowResult {
  readonly name: string
  /** Empty: same as the real kubelet. */
  readonly differences: readonly string[]
}

/** Plays recorded requests against a kubelet's server over a scripted runtime, and an API server in front of it. */
export async function playGroups(groups: readonly Group[]): Promise<readonly RowResult[]> {
  await using stage = await openStage()
  const results: RowResult[] = []
  for (const group of groups) {
    // In the recording the garbage collector had deleted the pod of a missing node by then.
    if (group.requests.some((r) => r.kubectl !== undefined))
      await stage.client.delete({ ...PODS, namespace: 'default', name: 'elsewhere' }, { gracePeriodSeconds: 0 }).catch(() => {})
    const rights = /^(\w+) may do everything on nodes\/(\w+)/.exec(group.note ?? '')
    if (rights !== null) await grant(stage, rights[1] ?? '', rights[2] ?? '')
    for (const [i, row] of group.requests.entries()) {
      const shown = row.kubectl ? `kubectl ${row.kubectl.join(' ')}` : `${row.method ?? 'GET'} ${row.path}`
      const found = await playRow(stage, row, rights?.[1]).catch((error: unknown) => [String(error)])
      results.push({ name: `${group.story} ${i}: ${shown}`, differences: found })
    }
    if (rights !== null) await revoke(stage)
  }
  return results
}

async function playRow(stage: Stage, row: Row, holder: string | undefined): Promise<string[]> {
  if (row.kubectl !== undefined) return playKubectl(stage, row, row.kubectl)
  stage.reviews.length = 0
  const to = row.to ?? 'kubelet'
  const got = await send(row, stage.where(to, senderOf(row, holder)))
  const reviews = stage.reviews.map((r) => structuredClone(r))
  return differences(row, { ...got, reviews })
}

/** Rows of the API server have the user only if it was refused. */
function senderOf({ as, body }: Row, holder: string | undefined): string {
  if (as !== undefined) return as
  if (holder !== undefined) return `certificate ${holder}`
  const refused = typeof body === 'object' ? /User "(\w+)" cannot/.exec(String(body.message ?? '')) : null
  return refused === null ? 'masters' : `certificate ${refused[1]}`
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const NAME = 'recorded-right'

async function grant({ client }: Stage, user: string, subresource: string): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const metadata = { name: NAME }
  const rules = [{ apiGroups: [''], resources: [`nodes/${subresource}`], verbs: ['*'] }]
  await client.create({ ...RBAC, resource: 'clusterroles' }, { apiVersion, kind: 'ClusterRole', metadata, rules })
  const roleRef = { apiGroup: RBAC.group, kind: 'ClusterRole', name: NAME }
  const subjects = [{ kind: 'User', name: user, apiGroup: RBAC.group }]
  await client.create({ ...RBAC, resource: 'clusterrolebindings' }, { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects })
}

async function revoke({ client }: Stage): Promise<void> {
  await client.delete({ ...RBAC, resource: 'clusterrolebindings', name: NAME })
  await client.delete({ ...RBAC, resource: 'clusterroles', name: NAME })
}

async function playKubectl({ cluster }: Stage, row: Row, args: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kubelet-api-'))
  try {
    const kubeconfig = path.join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig())
    const got = await run(args, { cwd: folder, env: { ...process.env, KUBECONFIG: kubeconfig, HOME: folder }, stdin: row.stdin ?? '' })
    const wanted: JsonObject = { exit: row.exit ?? 0, stdout: row.stdout ?? '', stderr: row.stderr ?? '' }
    return Object.entries(wanted).flatMap(([what, value]) => {
      const shown = got[what as keyof typeof got]
      return shown === value ? [] : [`${what}: wanted ${JSON.stringify(value)}, got ${JSON.stringify(shown)}`]
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Ran {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

function run(
  args: readonly string[],
  { stdin, ...options }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stdin: string },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(kubectlPath(), [...args], { ...options, timeout: 30_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ exit: code, stdout, stderr })
    })
    child.stdin?.end(stdin)
  })
}
