import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { messageOf } from '../../base/message-of.ts'
import type { EtcdOptions } from '../../server/options/storage.ts'
import { OptionsError } from '../../server/options-error.ts'

/** The members of the etcd that the options name, and the certificates for them. @throws {OptionsError} with kube-apiserver's message */
export function etcdMembers({ servers, caFile, certFile, keyFile }: EtcdOptions) {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(readIf)
  const tls = { ca, cert, key }
  try {
    createSecureContext(tls)
  } catch (cause) {
    const files = [caFile, certFile, keyFile].filter((file) => file !== '').join(', ')
    throw new OptionsError('bad-option', `error creating storage factory: ${files} cannot be used: ${messageOf(cause)}`, { cause })
  }
  return { urls: servers.map(urlOf), tls }
}

/** `host:port` has the scheme http, as in kube-apiserver. */
function urlOf(text: string): URL {
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) throw new OptionsError('bad-option', `error creating storage factory: parse ${JSON.stringify(text)}: invalid URL`)
  const parsed = new URL(url)
  if (parsed.username !== '' || parsed.password !== '')
    throw new OptionsError(
      'bad-option',
      `error creating storage factory: the URL of ${parsed.host} has a user: etcd knows a server by its client certificate (--etcd-certfile)`,
    )
  return parsed
}

const readIf = (file: string): string | undefined => (file === '' ? undefined : readFileSync(file, 'utf8'))
