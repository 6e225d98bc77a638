import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { writeSharedCertificates } from '../cluster/shared-certificates.ts'
import type { SigningKeyStep } from '../cluster/signing-keys.ts'
import { newFolder, several, url, word } from './option-values.ts'
import { reporting } from './report-failure.ts'

interface CertificatesFlags {
  readonly server: string
  readonly host: readonly string[]
  readonly etcdHost: readonly string[]
  readonly serviceClusterIpRange: string
  readonly renew?: boolean
  readonly rotateSigningKey?: boolean
  readonly forgetSigningKeys?: boolean
}

/** `bowsprit certificates`: the keys of several API servers on one etcd. */
export function certificatesCommand(): Command {
  return new Command('certificates')
    .description('write the keys and certificates of several API servers and their etcd, with the file names of kubeadm')
    .argument('<folder>', 'where they are kept; a later run renews only what has expired', newFolder)
    .requiredOption('--server <url>', 'the URL of the API server or load balancer, for the kubeconfigs', url)
    .option('--host <name>', 'a name or address of an API server or load balancer (repeatable)', several(word), [])
    .option('--etcd-host <name>', 'a name or address of an etcd member (repeatable)', several(word), [])
    .option('--service-cluster-ip-range <range>', 'the address range of services', word, '10.0.0.0/24')
    .option('--renew', 'renew all certificates; keep the certificate authorities and the signing key')
    .option('--rotate-signing-key', 'first run: create the next signing key, and accept its tokens; second run: sign with it')
    .option('--forget-signing-keys', 'reject tokens of earlier signing keys')
    .action(write)
}

const write = (folder: string, flags: CertificatesFlags): Promise<void> =>
  reporting('certificates', () => {
    const server = new URL(flags.server)
    const written = writeSharedCertificates(
      {
        folder,
        server: server.origin,
        hosts: [server.hostname.replace(/^\[|\]$/g, ''), ...flags.host],
        etcdHosts: flags.etcdHost,
        serviceCidr: flags.serviceClusterIpRange,
        renew: flags.renew === true,
        signingKey: signingKeyStep(flags),
      },
      { clock: systemClock },
    )
    console.log(written.length === 0 ? `everything in ${folder} is still valid` : written.map((file) => `${folder}/${file}`).join('\n'))
  })

const signingKeyStep = ({ rotateSigningKey, forgetSigningKeys }: CertificatesFlags): SigningKeyStep =>
  rotateSigningKey === true ? 'rotate' : forgetSigningKeys === true ? 'forget' : 'keep'
