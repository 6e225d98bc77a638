import type { SecureContext } from 'node:tls'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SECRETS } from '../../../resources/refs.ts'
import type { Ingress } from '../../../resources/types/networking.ts'
import { SecretCertificates } from '../proxy/secret-certificates.ts'

export interface IngressCertificatesDeps {
  readonly reader: Reader
  /** The Ingresses that are served now. */
  readonly served: () => readonly Ingress[]
}

/** Certificates of the hosts of Ingresses, from the Secrets that their `tls` names. */
export class IngressCertificates {
  readonly #deps: IngressCertificatesDeps
  readonly #certificates = new SecretCertificates()

  constructor(deps: IngressCertificatesDeps) {
    this.#deps = deps
  }

  /** For the host that a client names: an exact host before a wildcard before an entry without hosts. Undefined: there is none. */
  of(host: string): SecureContext | undefined {
    const name = host.toLowerCase()
    const wildcard = `*${name.slice(Math.max(0, name.indexOf('.')))}`
    for (const wanted of [name, wildcard, '']) {
      const context = this.#named(wanted)
      if (context !== undefined) return context
    }
    return undefined
  }

  /** `host`: empty for entries without hosts. */
  #named(host: string): SecureContext | undefined {
    for (const { metadata, spec } of this.#deps.served())
      for (const { hosts = [], secretName = '' } of spec?.tls ?? []) {
        if (host === '' ? hosts.length > 0 : !hosts.some((one) => one.toLowerCase() === host)) continue
        const secret = readObject(this.#deps.reader, SECRETS, metadata.namespace ?? '', secretName)
        const context = secret && this.#certificates.of(secret)
        if (context !== undefined) return context
      }
    return undefined
  }
}
