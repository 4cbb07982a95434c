// The backlight of the computer's own screen: `POST /api/1/display` with `{"brightness_pct":20}`, from
// that screen only. A phone that dims would otherwise darken the handlebar. At 0, the screen does not
// go dark.

import HTTP
import HTTPServing
import JSON
import Linux
import WebAccess

final class Display {
  /// A folder such as /sys/class/backlight/rpi_backlight; nil if pages cannot set it.
  private var folder: String?

  func use(folder: String?) { self.folder = folder }

  func handle(_ exchange: HTTPExchange, _ grant: Grant) {
    guard grant.phone?.name == PhoneRequests.kiosk else {
      return exchange.refuse(.notFound, "this screen has no backlight that the server could set: only the kiosk has")
    }
    guard let folder else {
      return exchange.refuse(.notFound, "the backlight cannot be set here: Backlight= is not set in web.conf")
    }
    guard let body = exchange.object() else { return }
    guard let brightness = body["brightness_pct"]?.number, (0...100).contains(brightness) else {
      return exchange.refuse(.badRequest, "brightness_pct is a number from 0 to 100")
    }
    do throws(SystemError) {
      let text = String(decoding: try Files.read(folder + "/max_brightness", atMost: 64), as: UTF8.self)
      guard let most = Int(text.prefix { $0.isNumber }), most > 0 else {
        return exchange.refuse(.internalError, "the backlight has no highest level")
      }
      let value = max(1, Int((Double(most) * brightness / 100).rounded()))
      try Files.writeInPlace(folder + "/brightness", Array("\(value)\n".utf8))
      exchange.reply(HTTPResponse(.noContent).uncached)
    } catch {
      exchange.refuse(.internalError, "the backlight cannot be set: \(error)")
    }
  }
}
