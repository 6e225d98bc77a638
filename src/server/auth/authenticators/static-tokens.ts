import type { TokenAuthenticator } from '../../../apiserver/identity/authenticator.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'

/** Tokens that were given in a file. They say no audience of their own, and are good for the server's. */
export function staticTokenAuthenticator(tokens: ReadonlyMap<string, UserInfo>, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const user = tokens.get(token)
      const good = audiences.filter((a) => own.includes(a))
      return user === undefined || good.length === 0 ? undefined : { user, audiences: good }
    },
  }
}

/** Why a token file cannot be used, with its line. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError'
  readonly code = 'bad-token-file'
}

/** Reads a token file: `token,user,uid` and optionally `,"group1,group2"` in each line. */
export function parseTokenFile(text: string): Map<string, UserInfo> {
  const tokens = new Map<string, UserInfo>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const columns = csvColumns(line.replace(/\r$/, ''))
    const [token = '', name = '', uid = '', groups = ''] = columns
    if (columns.length < 3)
      throw new TokenFileError(
        `token file, line ${i + 1}: write token,user,uid (and groups in quotes); there are ${columns.length} columns`,
      )
    if (token === '') throw new TokenFileError(`token file, line ${i + 1}: the token is empty`)
    tokens.set(token, { name, uid, groups: groups === '' ? [] : groups.split(',').map((g) => g.trim()) })
  }
  return tokens
}

function csvColumns(line: string): string[] {
  const columns: string[] = []
  let at = 0
  while (at <= line.length) {
    if (line[at] === '"') {
      let value = ''
      for (at++; at < line.length; at++) {
        if (line[at] === '"' && line[at + 1] === '"') value += line[at++]
        else if (line[at] === '"') break
        else value += line[at]
      }
      columns.push(value)
      at = endOr(line, at)
    } else {
      const end = endOr(line, at)
      columns.push(line.slice(at, end))
      at = end
    }
    at++
  }
  return columns
}

const endOr = (line: string, from: number) => {
  const end = line.indexOf(',', from)
  return end < 0 ? line.length : end
}
