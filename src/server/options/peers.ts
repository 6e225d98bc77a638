import type { LiveText } from '../../base/live-text.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { parseBool, text } from '../../machinery/flags/kinds.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'
import type { FEATURE_FLAGS } from './features.ts'

/** Other servers of the same etcd, which may be of another version. */
export const PEER_FLAGS = {
  'peer-ca-file': text('', {
    help: 'the certificate authorities of other servers of this etcd; requests for what only they serve are forwarded to them',
  }),
  'peer-advertise-ip': text('', { help: 'the address at which other servers reach this one (default: the advertised address)' }),
  'peer-advertise-port': text('', { help: 'the port at which other servers reach this one' }),
}

type PeerValues = FlagValues<typeof PEER_FLAGS>

export interface PeerOptions {
  /** Where others reach this server; undefined: at its advertised address. */
  readonly advertise: { readonly host: string; readonly port: number } | undefined
  /** Undefined: nothing is forwarded to others. */
  readonly ca: LiveText | undefined
}

const GATE = 'UnknownVersionInteroperabilityProxy'

type GateValues = Pick<FlagValues<typeof FEATURE_FLAGS>, 'feature-gates'>

export function peerFaults({ values }: { readonly values: PeerValues & GateValues }): string[] {
  const gate = values['feature-gates'].findLast(({ name }) => name === GATE)?.value
  if (gate === undefined || parseBool(gate)) return []
  const given = (['peer-ca-file', 'peer-advertise-ip', 'peer-advertise-port'] as const).filter((name) => values[name] !== '')
  return given.map((name) => `--${name} requires ${GATE} feature to be turned on`)
}

export function readPeers({
  values,
}: {
  readonly values: PeerValues & { readonly 'proxy-client-cert-file': string; readonly 'proxy-client-key-file': string }
}): PeerOptions {
  const { 'peer-ca-file': file, 'peer-advertise-ip': host, 'peer-advertise-port': port } = values
  if (file !== '')
    for (const name of ['cert', 'key'] as const)
      if (values[`proxy-client-${name}-file`] === '')
        throw new OptionsError('bad-option', `error building peer proxy handler, proxy-${name}-file not specified`)
  // One without the other counts as none, as in kube-apiserver.
  const advertise = host === '' || port === '' ? undefined : { host, port: Number(port) }
  if (advertise !== undefined && !(/^\d+$/.test(port) && advertise.port > 0 && advertise.port < 65_536))
    throw new OptionsError('bad-option', `--peer-advertise-port=${port} is no port: give one from 1 to 65535`)
  return { advertise, ca: file === '' ? undefined : optionFile(file) }
}
