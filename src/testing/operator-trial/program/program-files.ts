import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inCluster } from './in-cluster.ts'
import type { OperatorProgram } from './operator-process.ts'

/** What a program needs to find a proxy. */
export interface ProxyAddress {
  readonly address: string
  /** PEM. */
  readonly ca: string
}

/** What a program finds in its world. */
export interface ProgramSurroundings {
  /** A folder of its own, also for its temporary files. */
  readonly folder: string
  readonly proxy: ProxyAddress
  /** The folder with `tls.crt` and `tls.key` of its webhooks. */
  readonly certs: string
}

/** Writes the files that a program looks for into its folder. Returns the program that finds them. */
export function programBehind(program: OperatorProgram, { folder, proxy, certs }: ProgramSurroundings): OperatorProgram {
  const kubeconfig = kubeconfigIn(folder)
  writeFileSync(kubeconfig, proxyKubeconfig(proxy))
  // controller-runtime looks for the certificate of its webhooks there, unless a flag names another folder.
  mkdirSync(path.join(folder, 'k8s-webhook-server'))
  symlinkSync(certs, path.join(folder, 'k8s-webhook-server', 'serving-certs'))
  const own = { ...program, env: { TMPDIR: folder, ...program.env } }
  const { inCluster: namespace } = program
  return namespace === undefined ? own : inCluster(own, { folder, server: proxy, kubeconfig, namespace })
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
