import { readFileSync } from 'node:fs'
import type { EtcdOptions } from '../../server/options/storage.ts'
import { OptionsError } from '../../server/options-error.ts'

/** The members of the etcd that the options name, and the certificates for them. @throws {OptionsError} with kube-apiserver's message */
export function etcdMembers({ servers, caFile, certFile, keyFile }: EtcdOptions) {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(readIf)
  return { urls: servers.map(urlOf), tls: { ca, cert, key } }
}

/** `host:port` has the scheme http, as in kube-apiserver. */
function urlOf(text: string): URL {
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) throw new OptionsError('bad-option', `error creating storage factory: parse ${JSON.stringify(text)}: invalid URL`)
  return new URL(url)
}

const readIf = (file: string): string | undefined => (file === '' ? undefined : readFileSync(file, 'utf8'))
