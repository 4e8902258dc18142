from django.contrib.auth import views as auth_views
from django.urls import path

from accounts import views

app_name = "accounts"

# /sign-in/ and /sign-out/
door_urls = [
    path(
        "sign-in/",
        auth_views.LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True),
        name="sign_in",
    ),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign_out"),
]

# /tokens/
token_urls = [
    path("tokens/", views.token_list, name="token_list"),
    path("tokens/<int:pk>/revoke/", views.token_revoke, name="token_revoke"),
]

urlpatterns = [*door_urls, *token_urls]
