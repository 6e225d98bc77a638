import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { type RealNodeProcess, runRealNode } from '../../src/cluster/nodes/run-real-node.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { kubeletConfig } from './kubelet-config.ts'
import type { TestMachine } from './machine.ts'

export interface AgentOptions extends Pick<RealNodeProcess, 'name' | 'ips' | 'clientCa' | 'credentials'> {
  readonly machine: Pick<TestMachine, 'endpoint' | 'cgroupRoot'>
  /** For its configuration. */
  readonly folder: string
  readonly client: Client
  readonly networkClient?: Client
  /** Of the `KubeletConfiguration`, beside those that tests need. */
  readonly settings?: object
}

/** A file with a `KubeletConfiguration` for a machine of tests. */
export function writeKubeletConfig(folder: string, machine: Pick<TestMachine, 'cgroupRoot'>, settings: object = {}): string {
  const file = path.join(folder, 'kubelet.json')
  writeFileSync(file, JSON.stringify(kubeletConfig(machine, { port: 0, ...settings })))
  return file
}

/** Starts an agent apart from its cluster. Disposing of it stops the agent; its containers run on. */
export function startAgent(options: AgentOptions): AsyncDisposable {
  const { machine, folder, client, networkClient, settings, ...rest } = options
  const stop = new AbortController()
  const node = {
    ...rest,
    runtimeEndpoint: machine.endpoint,
    kubeletConfig: writeKubeletConfig(folder, machine, settings),
    network: { serviceProxy: false, dns: false, policies: false, clusterCidrs: [] },
  }
  const own = { client, clock: systemClock, random: systemRandom(), log: silentLogger }
  const running = runRealNode(node, { ...own, ...(networkClient && { networkClient }) }, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** The authority that the node's server trusts, of a cluster that is reached by this kubeconfig (PEM). */
export function clientCaOf(kubeconfig: string): string {
  const [, ca = ''] = /certificate-authority-data: "?([\w+/=]+)/.exec(kubeconfig) ?? []
  return Buffer.from(ca, 'base64').toString()
}
