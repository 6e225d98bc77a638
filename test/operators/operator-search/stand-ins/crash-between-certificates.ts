/** xtradb K8SPXC-897, mongodb K8SPSMDB-579: a crash after the first of two certificates of cert-manager, and the second is never made. */
import { customResourceDefinition } from '../../../../src/testing/builders.ts'
import { ensure, live, ownedBy, standIn } from '../stand-in.ts'

const CERTIFICATES = { group: 'cert-manager.io', version: 'v1', resource: 'certificates' }

export const certificates = customResourceDefinition({ group: 'cert-manager.io', kind: 'Certificate' })

/** `order`: the names of the certificates, after the name of the database. */
export const crashBetweenCertificates = (order: readonly [string, string]) => (mended: boolean) =>
  standIn([CERTIFICATES], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const target = (end: string) => ({ ...CERTIFICATES, namespace, name: `${name}${end}` })
    // The mistake: the first certificate is taken for a sign that both are there.
    if (!mended && (await live(client, target(order[0]))) !== undefined) return
    for (const end of order) {
      const metadata = { name: `${name}${end}`, ownerReferences: ownedBy(database) }
      const spec = { secretName: `${name}${end}`, dnsNames: [name], issuerRef: { name: 'issuer' } }
      await ensure(client, target(end), { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata, spec })
    }
  })
