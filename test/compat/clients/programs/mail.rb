require 'mail'

implicit = ENV['IMPLICIT'] == '1'
settings = {
  address: ENV['SMTP_HOST'],
  port: ENV['SMTP_PORT'].to_i,
  ssl: implicit,
  enable_starttls: !implicit,
}
settings[:openssl_verify_mode] = 'none' if ENV['UNVERIFIED'] == '1'
Mail.defaults { delivery_method :smtp, settings }
Mail.deliver do
  from ENV['MAIL_FROM']
  to ENV['MAIL_TO']
  subject 'Hello'
  body 'Hello.'
end
