import { isIP } from 'node:net'

/**
 * Address and port of a command line, where they can be read without parsing all flags. Undefined: parse the flags first, so that errors
 * are reported in order. Opening the port before the code is loaded lets a polling client block on its first connection instead of
 * sleeping.
 */
export function earlyPort(words: readonly string[]): { readonly host: string; readonly port: number } | undefined {
  const last = (name: string) => words.findLast((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  const [host, port] = [last('bind-address'), last('secure-port')]
  if (host === undefined || port === undefined || isIP(host) === 0 || !/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    return undefined
  if (
    words.some(
      (word) => /^--(help|version|bind.address|secure.port)$|^--(help|version)=/.test(word) || word === '-h' || /^--\w*_/.test(word),
    )
  )
    return undefined
  return { host, port: Number(port) }
}
