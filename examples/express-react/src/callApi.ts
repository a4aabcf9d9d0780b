export async function callApi<ResponseBody>(path: string, body?: object): Promise<ResponseBody> {
  const headers = { 'content-type': 'application/json' }
  const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(path, post)
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}
