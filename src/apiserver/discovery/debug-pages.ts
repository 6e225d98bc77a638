import type { PlainRequest, PlainResponse } from '../request/plain-paths.ts'

const FLAGS_PAGE = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`

const PROFILES_PAGE = `<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
This server is no Go program: it has no profiles. Its event loop is among the metrics.
</body>
</html>
`

const html = (body: string): PlainResponse => ({ code: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body })

const plain = (code: number, body: string): PlainResponse => ({
  code,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body,
})

/** The pages below `/debug` for those who look for profiles of a Go program; undefined for other paths. */
export function debugPage({ path }: Pick<PlainRequest, 'path'>): PlainResponse | undefined {
  switch (path) {
    case '/debug/pprof': {
      const location = '/debug/pprof/'
      return { ...html(`<a href="${location}">Found</a>.\n\n`), code: 302, headers: { ...html('').headers, location } }
    }
    case '/debug/pprof/':
      return html(PROFILES_PAGE)
    case '/debug/flags':
    case '/debug/flags/':
      return html(FLAGS_PAGE)
    case '/debug/flags/v':
      return plain(406, 'unsupported http method')
    default:
      return path.startsWith('/debug/pprof/') ? plain(404, 'Unknown profile\n') : undefined
  }
}
