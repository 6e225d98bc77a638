import { authority, leaf } from '../../machinery/x509/authority.double.ts'
import { ruleTables } from '../rule-table.contract.ts'
import { clusterTrustBundles } from './clustertrustbundles.ts'

const ca = authority('a')
const two = JSON.stringify(ca + authority('b'))
const wrong = (why: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${why}`
const named = (name: string) => `metadata.name: Invalid value: "${name}": `

ruleTables(clusterTrustBundles, {
  object: `{metadata: {name: any}, spec: {trustBundle: ${JSON.stringify(ca)}}}`,
  filled: [],
  create: [
    [`spec.trustBundle = ${two}`],
    ['-spec', wrong('at least one trust anchor must be provided')],
    ['spec.trustBundle = "no PEM"', wrong('at least one trust anchor must be provided')],
    [`spec.trustBundle = ${JSON.stringify(ca + ca)}`, wrong('duplicate trust anchor (indices [0 1])')],
    [`spec.trustBundle = ${JSON.stringify(ca + leaf())}`, wrong('entry 1 does not have the CA bit set')],
    [`spec.trustBundle = ${JSON.stringify(ca.replace(/\n/, '\nA: b\n\n'))}`, wrong('entry 0 has PEM block headers')],
    [`spec.trustBundle = ${JSON.stringify(ca.replace(/\n[\s\S]*\n-/, '\nAAAA\n-'))}`, wrong('entry 0 does not parse as X.509')],
    [`spec.trustBundle = ${JSON.stringify(ca.replaceAll('CERTIFICATE', 'KEY') + ca + ca)}`, wrong('entry 0 has bad block type: KEY')],
    ['spec.trustBundle = a × 1048577', 'spec.trustBundle: Too long: may not be more than 1048576 bytes'],
    ['metadata.name = "a:b"', `${named('a:b')}ClusterTrustBundle without signer name must not have ":" in its name`],
    ['metadata.name = A', `${named('A')}a lowercase RFC 1123 subdomain…`],
    [
      'spec.signerName = example.com/s',
      `${named('any')}ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:`,
    ],
    ['spec.signerName = example.com/s && metadata.name = "example.com:s:any"'],
    ['spec.signerName = example.com/s && metadata.name = "example.com:s:A"', `${named('example.com:s:A')}a lowercase RFC 1123 subdomain…`],
    [
      'spec.signerName = s && metadata.name = "s:a"',
      `spec.signerName: Invalid value: "s": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
  ],
  update: [
    [`spec.trustBundle = ${two}`, 'spec.trustBundle = …'],
    ['spec.trustBundle = none', wrong('at least one trust anchor must be provided')],
    ['spec.trustBundle = none -> metadata.labels.a = b', 'metadata.labels = {a: b}'],
    [
      'spec.signerName = example.com/s && metadata.name = "example.com:s:a" -> spec.signerName = example.com/t',
      `${named('example.com:s:a')}ClusterTrustBundle for signerName example.com/t must be named with prefix example.com:t:`,
      'spec.signerName: Invalid value: "example.com/t": field is immutable',
    ],
  ],
})
