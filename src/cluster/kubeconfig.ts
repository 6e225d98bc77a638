import { createPrivateKey } from 'node:crypto'
import path from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { replaceFile } from '../base/replace-file.ts'

/** The content of a kubeconfig: one cluster, one user, one context, certificates inline (PEM). */
export interface KubeconfigInit {
  /** The name of the context, the cluster and the user. */
  readonly context: string
  readonly server: string
  readonly ca: string
  readonly certificate: string
  /** PEM, in any form that OpenSSL accepts. */
  readonly key: string
}

/** The context of a cluster's kubeconfig; undefined: a cluster without a name. */
export const contextOf = (name: string | undefined): string => (name === undefined ? 'bowsprit' : `bowsprit-${name}`)

/** The text of a kubeconfig (`v1 Config`) with the certificates inline, so that the file can be moved and shared. */
export function kubeconfigText(init: KubeconfigInit): string {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64')
  return `apiVersion: v1
kind: Config
clusters:
- name: ${init.context}
  cluster:
    server: ${init.server}
    certificate-authority-data: ${base64(init.ca)}
users:
- name: ${init.context}
  user:
    client-certificate-data: ${base64(init.certificate)}
    client-key-data: ${base64(sec1(init.key))}
contexts:
- name: ${init.context}
  context:
    cluster: ${init.context}
    user: ${init.context}
current-context: ${init.context}
`
}

/** Kubernetes' own tools write elliptic keys in this form, and some clients accept no other. */
const sec1 = (key: string) => createPrivateKey(key).export({ type: 'sec1', format: 'pem' }).toString()

/** Writes the file in one step, readable by its owner only. */
export function writeKubeconfig(file: string, text: string): void {
  makeFolder(path.dirname(path.resolve(file)))
  replaceFile(file, text)
}
