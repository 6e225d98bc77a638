import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { inCluster } from './in-cluster.ts'
import type { OperatorProgram } from './operator-process.ts'

/** What a program needs to find a proxy. */
export interface ProxyAddress {
  readonly address: string
  /** PEM. */
  readonly ca: string
}

/** Writes the files with which a program finds a proxy into a folder. Returns the program that finds them. */
export function programBehind(program: OperatorProgram, folder: string, proxy: ProxyAddress): OperatorProgram {
  const kubeconfig = kubeconfigIn(folder)
  writeFileSync(kubeconfig, proxyKubeconfig(proxy))
  const { inCluster: namespace } = program
  return namespace === undefined ? program : inCluster(program, { folder, server: proxy, kubeconfig, namespace })
}

export const kubeconfigIn = (folder: string) => path.join(folder, 'kubeconfig')

/** The kubeconfig with which a program finds a proxy. */
function proxyKubeconfig({ address, ca }: ProxyAddress): string {
  const data = Buffer.from(ca).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'trial', cluster: { server: address, 'certificate-authority-data': data } }],
    users: [{ name: 'operator', user: { token: 'operator' } }],
    contexts: [{ name: 'trial', context: { cluster: 'trial', user: 'operator', namespace: 'default' } }],
    'current-context': 'trial',
  })
}
